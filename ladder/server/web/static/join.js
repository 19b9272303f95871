// Reads the secret of an invitation link, which the server never sees as an address.
(() => {
  "use strict";
  const field = document.getElementById("invitation");
  const secret = location.hash.slice(1);
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  field.value = secret;
  field.form.querySelector("#name").focus();
})();
