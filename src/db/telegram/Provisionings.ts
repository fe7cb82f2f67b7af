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
import type { BotPlace, MadeBot } from "./managed/MadeBot.ts"
import { matchRequest } from "./managed/matchRequest.ts"
import { setOwner } from "./managed/setOwner.ts"
import { beginRotation, endRotation } from "./managed/tokenRotation.ts"

/** Requests for managed bots, and how the bots that are made find them. */
export class Provisionings extends Context.Service<
  Provisionings,
  {
    readonly create: (appId: string, wanted: Wanted) => Effect.Effect<Provisioned, NameTaken | DatabaseError>
    /** The bot that is bound to this Telegram bot already, in whatever app. */
    readonly bound: (userId: number) => Effect.Effect<BotPlace | undefined, DatabaseError>
    /**
     * Whose request the bot answers: the one whose link bears its random name, or the only one that the person who made
     * it has claimed. Otherwise it is kept unclaimed.
     */
    readonly match: (made: MadeBot) => Effect.Effect<BotPlace | undefined, DatabaseError>
    /**
     * A person says by a code which request is theirs; gives the link's parts, and the bot if they have made it
     * already.
     */
    readonly claim: (
      code: string,
      personId: number
    ) => Effect.Effect<
      { readonly username: string; readonly name: string; readonly made: MadeBot | undefined } | undefined,
      DatabaseError
    >
    /** The bot that was waited for. */
    readonly adopt: (
      place: BotPlace,
      identity: BotIdentity,
      ownerId: number,
      token: Redacted.Redacted<string>
    ) => Effect.Effect<void, DatabaseError>
    /**
     * It is another's by now. Whether the new owner may go on with it is for the app to say, which is told: the bot is
     * suspended until then.
     */
    readonly setOwner: (place: BotPlace, ownerId: number) => Effect.Effect<void, DatabaseError>
    readonly beginRotation: (place: BotPlace) => Effect.Effect<void, DatabaseError>
    /** Telegram still has the old token: unless it was begun a moment ago, nothing has come of it. */
    readonly endRotation: (place: BotPlace) => Effect.Effect<void, DatabaseError>
    /** Ends requests whose time has run out, and the bots that there will not be. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/Provisionings") {
  static readonly layer = Layer.effect(
    Provisionings,
    Effect.gen(function* () {
      const within = Effect.provideContext(yield* Effect.context<Database | BotRows | Secrets | LogSignals>())
      return Provisionings.of({
        create: (...args) => within(createRequest(...args)),
        bound: (userId) => within(boundBot(userId)),
        match: (made) => within(matchRequest(made)),
        claim: (...args) => within(claimRequest(...args)),
        adopt: (...args) => within(adoptBot(...args)),
        setOwner: (...args) => within(setOwner(...args)),
        beginRotation: (place) => within(beginRotation(place)),
        endRotation: (place) => within(endRotation(place)),
        expire: within(expireRequests)
      })
    })
  )
}
