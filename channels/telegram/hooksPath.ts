/** The webhook path. The bot's id is appended, which is not secret. */
export const HOOKS_PATH = "/v1/telegram/hooks"

/** Takes the place of the id for the manager bot, which belongs to no app. */
export const MANAGER = "manager"
