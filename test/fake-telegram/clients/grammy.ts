import { Bot, GrammyError, InputFile, webhookCallback } from "grammy"
import type { ForeignClientOf } from "./Client.ts"

export const grammyClient: ForeignClientOf = (token, apiRoot) => {
  const options = { client: { apiRoot } }
  const { api } = new Bot(token, options)
  const listening = (heard: (text: string) => void) => {
    const bot = new Bot(token, options)
    bot.on("message:text", (context) => heard(context.message.text))
    return bot
  }
  return {
    getMe: () => api.getMe(),
    sendMessage: (chatId, text, entities) => api.sendMessage(chatId, text, { entities: [...entities] }),
    sendPhoto: (chatId, bytes, name, caption) => api.sendPhoto(chatId, new InputFile(bytes, name), { caption }),
    told: (cause) =>
      cause instanceof GrammyError
        ? { code: cause.error_code, description: cause.description, retryAfter: cause.parameters.retry_after }
        : undefined,
    poll: (heard) => {
      const bot = listening(heard)
      const running = bot.start()
      return { stop: () => bot.stop().then(() => running) }
    },
    webhook: (secretToken, heard) => webhookCallback(listening(heard), "http", { secretToken })
  }
}
