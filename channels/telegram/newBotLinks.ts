/** Opens Telegram's dialog for a new bot, with these names filled in. */
export const newBotLink = (manager: string, username: string, name: string): string =>
  `https://t.me/newbot/${manager}/${username}?name=${encodeURIComponent(name)}`

/** Opens the manager, and tells it which request the person's new bot answers, whatever its username becomes. */
export const claimLink = (manager: string, code: string): string => `https://t.me/${manager}?start=${code}`
