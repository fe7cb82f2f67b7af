import { Api, Bot, InputFile, TelegramApiError } from "node-telegram-bot-api"
import { createWebhookServer } from "node-telegram-bot-api/node"
import type { ForeignClientOf } from "./Client.ts"

export const nodeTelegramBotApiClient: ForeignClientOf = (token, apiRoot) => {
  const options = { apiRoot, maxRetries: 0 }
  const api = new Api(token, options)
  const listening = (heard: (text: string) => void) => {
    const bot = new Bot(token, options)
    bot.on("message", (context) => heard(context.message?.text ?? ""))
    return bot
  }
  return {
    getMe: () => api.getMe(),
    sendMessage: (chatId, text, entities) => api.sendMessage({ chat_id: chatId, text, entities: entities as never }),
    sendPhoto: (chatId, bytes, filename, caption) =>
      api.sendPhoto({ chat_id: chatId, photo: new InputFile(bytes, { filename }), caption }),
    told: (cause) =>
      cause instanceof TelegramApiError
        ? { code: cause.errorCode, description: cause.description, retryAfter: cause.retryAfter }
        : undefined,
    poll: (heard) => {
      const bot = listening(heard)
      const running = bot.startPolling()
      return {
        stop: () => {
          bot.stop()
          return running
        }
      }
    },
    webhook: (secretToken, heard) => {
      const server = createWebhookServer(listening(heard), { path: "/hook", secretToken })
      return (request, response) => void server.emit("request", request, response)
    }
  }
}
