import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { BotApi } from "./BotApi.ts"
import { releaseAfterCall } from "./releaseAfterCall.ts"
import type { FailureKind } from "./failures.ts"
import { Pace } from "./Pace.ts"
import { type SendingBot, TelegramBots } from "./TelegramBots.ts"
import type { Chat, ChatRef } from "./TelegramChats.ts"

/** Telegram shows a typing indicator for five seconds, and a draft for thirty. */
const REPEAT_AFTER = { typing: "4500 millis", draft: "25 seconds" } as const
/** Draft ids have 32 bits and are not zero. */
const DRAFT_IDS = 2 ** 31 - 1
/** Counted from the message to answer. After this time, the typing indicator ends. */
const DEADLINE = Duration.seconds(120)
const FAILURES = 2
const FINAL_FAILURES: ReadonlySet<FailureKind> = new Set([
  "auth",
  "rate_limited",
  "chat_blocked",
  "chat_gone",
  "chat_not_started",
  "no_rights",
  "frozen"
])

/**
 * Shows a typing indicator, or a draft that the person can stop, while a turn of the chat's session is open. The
 * process whose lane reached the message does this. It never delays a message.
 */
export class Typing extends Context.Service<
  Typing,
  {
    /** `asked`: the time of the message to answer, in milliseconds. */
    readonly begin: (ref: ChatRef, channelVersion: number, asked: number) => Effect.Effect<void>
    /** A message follows: the call in progress is aborted and counted before the message takes its slot. */
    readonly end: (ref: ChatRef) => Effect.Effect<void>
  }
>()("channels/telegram/Typing") {
  static readonly layer = Layer.effect(
    Typing,
    Effect.gen(function* () {
      const api = yield* BotApi
      const bots = yield* TelegramBots
      const pace = yield* Pace
      const fibers = yield* FiberMap.make<string>()

      /** What a bot shows of an answer before it is ready. Replies are sent as a whole, so a draft has no text. */
      const show = (bot: SendingBot, { chatId, threadId }: Chat, asDraft: boolean, asked: number) => {
        const target = { chat_id: chatId, ...(threadId !== 0 && { message_thread_id: threadId }) }
        return asDraft
          ? api.call(bot.token, "sendMessageDraft", {
              ...target,
              draft_id: (asked % DRAFT_IDS) + 1,
              text: "",
              can_stop: true
            })
          : api.call(bot.token, "sendChatAction", { ...target, action: "typing" })
      }

      const loop = Effect.fnUntraced(function* (ref: ChatRef, version: number, asked: number) {
        let drafts = true
        for (let failures = 0; failures < FAILURES;) {
          let kind: keyof typeof REPEAT_AFTER = "typing"
          const grant = yield* pace.tryAcquire(ref)
          if (grant === "over") return
          if (grant !== "busy") {
            const bot = yield* bots.get(ref.appId, ref.channelId, version)
            if (bot === undefined) return
            kind = drafts && bot.drafts && grant.chat.chatId > 0 ? "draft" : "typing"
            const said = yield* Effect.result(
              releaseAfterCall(pace, ref, grant.inFlight, show(bot, grant.chat, kind === "draft", asked))
            )
            if (Result.isFailure(said) && said.failure.kind === "rate_limited")
              yield* pace.backOff(ref, Duration.seconds(said.failure.retryAfterSeconds ?? 1))
            if (Result.isFailure(said) && said.failure.kind === "auth")
              yield* bots.revoke(ref.appId, ref.channelId, bot.tokenVersion)
            if (Result.isFailure(said) && FINAL_FAILURES.has(said.failure.kind)) return
            if (Result.isFailure(said) && said.failure.kind === "rejected" && kind === "draft") {
              drafts = false
              yield* bots.endDrafts(ref.appId, ref.channelId)
              continue
            }
            failures = Result.isFailure(said) ? failures + 1 : 0
          }
          yield* Effect.sleep(REPEAT_AFTER[kind])
        }
      })

      const nameOf = ({ channelId, sessionId }: ChatRef) => `${channelId} ${sessionId}`
      return Typing.of({
        begin: Effect.fnUntraced(function* (ref, version, asked) {
          const left = asked + Duration.toMillis(DEADLINE) - (yield* Clock.currentTimeMillis)
          if (left <= 0) return
          yield* FiberMap.run(
            fibers,
            nameOf(ref),
            loop(ref, version, asked).pipe(Effect.timeoutOption(left), Effect.ignore),
            { onlyIfMissing: true }
          )
        }),
        end: (ref) => FiberMap.remove(fibers, nameOf(ref))
      })
    })
  )
}
