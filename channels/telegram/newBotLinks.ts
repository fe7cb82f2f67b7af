/** A link to Telegram's dialog for a new bot, with these names filled in. */
export const newBotLink = (manager: string, username: string, name: string): string =>
  `https://t.me/newbot/${manager}/${username}?name=${encodeURIComponent(name)}`

/**
 * A link to the manager bot with a claim code, which assigns the request to this person regardless of the new bot's
 * username.
 */
export const claimLink = (manager: string, code: string): string => `https://t.me/${manager}?start=${code}`
