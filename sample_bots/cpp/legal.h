// All legal actions of a decision, from the short form that a request has. It needs no edits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "courtyard/v1/courtisans.pb.h"
#include "courtyard/v1/miracles.pb.h"

/// The legal turns of Courtisans, numbered from 0, each once.
///
/// They are not kept in a list: with three assassins there can be half a million. They fall into
/// blocks that share which card goes where; inside a block the side, each card to eliminate and the
/// opponent are free, so that the number of a turn is read like the digits of a number.
class CourtisansTurns {
 public:
  CourtisansTurns(const courtyard::v1::CourtisansObservation& seen,
                  const courtyard::v1::CourtisansLegal& legal);

  std::size_t size() const;
  /// Returns the turn of this number, which must be below size().
  courtyard::v1::CourtisansAction operator[](std::size_t number) const;

 private:
  /// The turns that share the cards for the table, the own domain and the opponent's.
  struct Block {
    std::array<courtyard::v1::CourtisansCard, 3> cards;
    /// What the card there may eliminate, 0 for none.
    std::vector<std::uint32_t> at_table, in_own;
    /// The opponents, each with what the last card may eliminate there.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> in_others;

    std::size_t size() const { return 2 * at_table.size() * in_own.size() * in_others.size(); }
  };

  std::vector<Block> blocks_;
};

/// Returns the legal actions of La Cour des Miracles, each once: a few hundred at most.
std::vector<courtyard::v1::MiraclesAction> miracles_actions(
    const courtyard::v1::MiraclesLegal& legal);
