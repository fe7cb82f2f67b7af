import { Bot, MediaUpload, TelegramError, webhookHandler } from "gramio"
import type { ForeignClientOf } from "./Client.ts"

export const gramioClient: ForeignClientOf = (token, apiRoot) => {
  const options = { api: { baseURL: `${apiRoot}/bot` } }
  const { api } = new Bot(token, options)
  const listening = (heard: (text: string) => void) =>
    new Bot(token, options).on("message", (context) => heard(context.text ?? ""))
  return {
    getMe: () => api.getMe(),
    sendMessage: (chatId, text, entities) => api.sendMessage({ chat_id: chatId, text, entities: entities as never }),
    sendPhoto: (chatId, bytes, name, caption) =>
      api.sendPhoto({ chat_id: chatId, photo: MediaUpload.buffer(bytes, name), caption }),
    told: (cause) =>
      cause instanceof TelegramError
        ? { code: cause.code, description: cause.message, retryAfter: cause.payload?.retry_after }
        : undefined,
    poll: (heard) => {
      const bot = listening(heard)
      const running = bot.start()
      return { stop: () => running.then(() => bot.stop()) }
    },
    webhook: (secret, heard) => {
      const bot = listening(heard)
      const ready = bot.init()
      const handle = webhookHandler(bot, "http", secret)
      return (request, response) => void ready.then(() => handle(request, response))
    }
  }
}
