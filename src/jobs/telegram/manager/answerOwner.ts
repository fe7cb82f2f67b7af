import * as Effect from "effect/Effect"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { newBotLink } from "#channels/telegram/newBotLinks.ts"
import { OwnTexts } from "#pipeline/texts/OwnTexts.ts"
import { textsFor } from "#pipeline/texts/textsFor.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import type { ManagerBot } from "./ManagerBot.ts"
import type { OnboardBot } from "./onboardBot.ts"

/** Answers a person who opens a link for a new bot. */
export const makeAnswerOwner = Effect.fnUntraced(function* ({ call, username }: ManagerBot, takeIn: OnboardBot) {
  const [api, requests, own] = [yield* BotApi, yield* Provisionings, yield* OwnTexts]

  return Effect.fnUntraced(function* (chatId: number, text: string, language: string | undefined) {
    const [, code = ""] = /^\/start ([\w-]{1,64})$/.exec(text) ?? []
    if (code === "") return
    const claim = yield* requests.claim(code, chatId)
    const isMade = claim?.made !== undefined && (yield* takeIn(claim.made))
    const isOpen = claim !== undefined && !isMade
    const texts = textsFor([language], own)
    const said = claim === undefined ? texts.manager_link_spent : isOpen ? texts.manager_create : texts.manager_wait
    const button = isOpen
      ? {
          reply_markup: {
            inline_keyboard: [
              [{ text: texts.manager_button, url: newBotLink(yield* username, claim.username, claim.name) }]
            ]
          }
        }
      : {}
    yield* Effect.ignore(call((token) => api.call(token, "sendMessage", { chat_id: chatId, text: said, ...button })))
  })
})
