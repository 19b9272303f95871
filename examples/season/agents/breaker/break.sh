# Leaves half an edit behind, as an agent may that runs out of time.
echo 'def choose(position' > bot/bot.py
