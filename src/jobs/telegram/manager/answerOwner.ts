import * as Effect from "effect/Effect"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { newBotLink } from "#channels/telegram/newBotLinks.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import type { ManagerBot } from "./ManagerBot.ts"
import type { OnboardBot } from "./onboardBot.ts"

/** Answers a person who opens a link for a new bot. */
export const makeAnswerOwner = Effect.fnUntraced(function* ({ call, username }: ManagerBot, takeIn: OnboardBot) {
  const [api, requests] = [yield* BotApi, yield* Provisionings]

  return Effect.fnUntraced(function* (chatId: number, text: string) {
    const [, code = ""] = /^\/start ([\w-]{1,64})$/.exec(text) ?? []
    if (code === "") return
    const claim = yield* requests.claim(code, chatId)
    const isMade = claim?.made !== undefined && (yield* takeIn(claim.made))
    const isOpen = claim !== undefined && !isMade
    const said =
      claim === undefined
        ? "This link has expired or has already been used."
        : isOpen
          ? "Now create your bot. You can give it any name you like."
          : "Your bot is being set up."
    const button = isOpen
      ? {
          reply_markup: {
            inline_keyboard: [
              [{ text: "Create the bot", url: newBotLink(yield* username, claim.username, claim.name) }]
            ]
          }
        }
      : {}
    yield* Effect.ignore(call((token) => api.call(token, "sendMessage", { chat_id: chatId, text: said, ...button })))
  })
})
