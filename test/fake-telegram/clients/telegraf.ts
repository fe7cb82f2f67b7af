import { Telegraf, TelegramError } from "telegraf"
import { message } from "telegraf/filters"
import type { ForeignClientOf } from "./Client.ts"

export const telegrafClient: ForeignClientOf = (token, apiRoot) => {
  const options = { telegram: { apiRoot } }
  const { telegram } = new Telegraf(token, options)
  const listening = (heard: (text: string) => void) => {
    const bot = new Telegraf(token, options)
    bot.on(message("text"), (context) => heard(context.message.text))
    return bot
  }
  return {
    getMe: () => telegram.getMe(),
    sendMessage: (chatId, text, entities) => telegram.sendMessage(chatId, text, { entities: entities as never }),
    sendPhoto: (chatId, source, filename, caption) => telegram.sendPhoto(chatId, { source, filename }, { caption }),
    told: (cause) =>
      cause instanceof TelegramError
        ? { code: cause.code, description: cause.description, retryAfter: cause.parameters?.retry_after }
        : undefined,
    poll: (heard) => {
      const bot = listening(heard)
      const running = bot.launch()
      return {
        stop: () => {
          bot.stop()
          return running
        }
      }
    },
    webhook: (secretToken, heard) => {
      const callback = listening(heard).webhookCallback("/hook", { secretToken })
      return (request, response) => void callback(request as never, response)
    }
  }
}
