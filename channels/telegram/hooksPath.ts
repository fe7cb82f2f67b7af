/** Where updates come in; behind it the bot's id, which is no secret. */
export const HOOKS_PATH = "/v1/telegram/hooks"

/** The place of the manager bot, which is nobody's. */
export const MANAGER = "manager"
