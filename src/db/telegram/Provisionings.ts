import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import type { Secrets } from "#src/db/postgres/Secrets.ts"
import type { BotRows } from "./BotRows.ts"
import type { BotIdentity } from "./bots/StoredBot.ts"
import { adoptBot } from "./managed/adoptBot.ts"
import { boundBot } from "./managed/boundBot.ts"
import { claimRequest } from "./managed/claimRequest.ts"
import { createRequest, type NameTaken, type Provisioned, type Wanted } from "./managed/createRequest.ts"
import { expireRequests } from "./managed/expireRequests.ts"
import type { BotRef, CreatedBot } from "./managed/CreatedBot.ts"
import { matchRequest } from "./managed/matchRequest.ts"
import { setOwner } from "./managed/setOwner.ts"
import { beginRotation, endRotation } from "./managed/tokenRotation.ts"

/** Requests for managed bots, and how new bots are matched to them. */
export class Provisionings extends Context.Service<
  Provisionings,
  {
    readonly create: (appId: string, wanted: Wanted) => Effect.Effect<Provisioned, NameTaken | DatabaseError>
    /** The bot that already has this Telegram id, in any app. */
    readonly bound: (userId: number) => Effect.Effect<BotRef | undefined, DatabaseError>
    /**
     * The request that the new bot belongs to: the one whose link has its random name, or the only one that its creator
     * has claimed. Otherwise it is kept unclaimed.
     */
    readonly match: (made: CreatedBot) => Effect.Effect<BotRef | undefined, DatabaseError>
    /**
     * A person claims a request by its code. Returns the parts of the link, and the bot if they have already created
     * it.
     */
    readonly claim: (
      code: string,
      personId: number
    ) => Effect.Effect<
      { readonly username: string; readonly name: string; readonly made: CreatedBot | undefined } | undefined,
      DatabaseError
    >
    /** Registers the bot that a request was waiting for. */
    readonly adopt: (
      ref: BotRef,
      identity: BotIdentity,
      ownerId: number,
      token: Redacted.Redacted<string>
    ) => Effect.Effect<void, DatabaseError>
    /**
     * The bot has a new owner. The app is notified, and the bot is suspended until the app decides whether to continue.
     */
    readonly setOwner: (ref: BotRef, ownerId: number) => Effect.Effect<void, DatabaseError>
    readonly beginRotation: (ref: BotRef) => Effect.Effect<void, DatabaseError>
    /** Telegram still has the old token. Unless it has just started, the rotation has failed. */
    readonly endRotation: (ref: BotRef) => Effect.Effect<void, DatabaseError>
    /** Ends expired requests, and the bots that will not be created. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/Provisionings") {
  static readonly layer = Layer.effect(
    Provisionings,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Database | BotRows | Secrets | LogSignals>())
      return Provisionings.of({
        create: (...args) => provide(createRequest(...args)),
        bound: (userId) => provide(boundBot(userId)),
        match: (made) => provide(matchRequest(made)),
        claim: (...args) => provide(claimRequest(...args)),
        adopt: (...args) => provide(adoptBot(...args)),
        setOwner: (...args) => provide(setOwner(...args)),
        beginRotation: (ref) => provide(beginRotation(ref)),
        endRotation: (ref) => provide(endRotation(ref)),
        expire: provide(expireRequests)
      })
    })
  )
}
