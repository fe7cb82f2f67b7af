import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ManagerUpdates } from "#src/db/telegram/ManagerUpdates.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { TelegramUnavailable } from "./WebhookRegistrar.ts"
import { makeAnswerOwner } from "./manager/answerOwner.ts"
import { BotReleased, makeManagedTokens } from "./manager/managedTokens.ts"
import { makeManagerBot, type ManagerOptions, type NoManager } from "./manager/ManagerBot.ts"
import { readManagerUpdate } from "./manager/managerUpdate.ts"
import { makeOnboardBot } from "./manager/onboardBot.ts"

/**
 * The bot through which people create bots for us (telegram.md 1.3). It belongs to the operator, not to an app. It
 * receives an update for each bot that was created, got a new token or changed its owner, and can read and replace
 * their tokens. Its updates are stored first, because Telegram cannot be asked for them again.
 */
export class Manager extends Context.Service<
  Manager,
  {
    /** The username in links for new bots. */
    readonly username: Effect.Effect<string, NoManager | TelegramUnavailable>
    /** The secret that Telegram sends to the manager's webhook. */
    readonly secret: string | null
    /** Registers the manager's own webhook. */
    readonly register: (hooksAt: string) => Effect.Effect<void, NoManager | TelegramUnavailable>
    /** Processes the manager's updates, as this worker. */
    readonly work: (owner: string) => Effect.Effect<void, DatabaseError>
    /** Gives the bot a new token. The old one is invalid at once. */
    readonly rotate: (bot: StoredBot) => Effect.Effect<void, NoManager | TelegramUnavailable | DatabaseError>
    /** Updates the row to Telegram's current token. True: it had changed. */
    readonly reconcile: (bot: StoredBot) => Effect.Effect<boolean, NoManager | TelegramUnavailable | DatabaseError>
    /** Makes sure that no copy of the token remains valid. */
    readonly release: (bot: StoredBot) => Effect.Effect<void>
  }
>()("src/jobs/telegram/Manager") {
  static readonly layer = (options: ManagerOptions) =>
    Layer.effect(
      Manager,
      Effect.gen(function* () {
        const [requests, updates] = [yield* Provisionings, yield* ManagerUpdates]
        const manager = yield* makeManagerBot(options)
        const tokens = yield* makeManagedTokens(manager)
        const takeIn = yield* makeOnboardBot(tokens)
        const answerOwner = yield* makeAnswerOwner(manager, takeIn)

        const handle = Effect.fnUntraced(function* (raw: unknown) {
          const told = Option.getOrUndefined(readManagerUpdate(raw))
          if (told === undefined) return
          const { managed_bot: made, message } = told
          if (made !== undefined)
            yield* takeIn({ userId: made.bot.id, username: made.bot.username, ownerId: made.user.id })
          if (message?.text !== undefined && message.chat.type === "private")
            yield* answerOwner(message.chat.id, message.text, message.from?.language_code)
        })
        const work = Effect.fnUntraced(function* (owner: string) {
          for (let update = yield* updates.next(owner); update !== undefined; update = yield* updates.next(owner)) {
            const { update_id: id, raw } = update
            const giveUp = Effect.andThen(
              Effect.logError("manager bot update given up: it crashed its process too often"),
              updates.giveUp(id)
            )
            yield* attempt(
              unitOf("update", "", `manager ${id}`),
              Effect.andThen(handle(raw), updates.done(id)),
              giveUp
            ).pipe(
              Effect.catchCause((cause) =>
                Cause.hasInterruptsOnly(cause)
                  ? Effect.interrupt
                  : Effect.logWarning("manager bot update deferred", cause).pipe(
                      Effect.andThen(updates.failed(id, "failed"))
                    )
              )
            )
          }
          yield* requests.expire
          yield* manager.stayArmed
        })

        const asked = <A, E>(effect: Effect.Effect<A, E | BotReleased>) =>
          Effect.catchIf(
            effect,
            (error): error is BotReleased => error instanceof BotReleased,
            () => new TelegramUnavailable({ description: "the bot has just been let go" })
          )
        return Manager.of({
          username: manager.username,
          secret: manager.secret,
          register: manager.arm,
          work,
          rotate: (bot) => asked(tokens.rotate(bot)),
          reconcile: (bot) => asked(tokens.reconcile(bot)),
          release: tokens.release
        })
      })
    )
}
