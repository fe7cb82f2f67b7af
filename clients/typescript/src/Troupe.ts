import { follow, type FollowOptions, type Following } from "./follow.ts"
import { methodsOf } from "./operation.ts"
import * as resources from "./resources.ts"
import { say, type SayOptions, type TurnOutcome } from "./say.ts"
import { type ClientOptions, Transport } from "./transport.ts"
import { unwrap } from "./webhooks.ts"

/** Which events of the app's feed to follow. Default: all. */
export interface FeedOptions extends FollowOptions<string> {
  readonly types?: ReadonlyArray<string>
  /** Only sessions with this character, by its slug. */
  readonly character?: string
  readonly session?: string
}

/**
 * A client of one app. Writes carry an Idempotency-Key, and every request is tried again where that is safe, so a
 * message is sent once however often the connection breaks.
 */
export class Troupe {
  readonly characters: ReturnType<typeof resources.characters>
  readonly sessions: ReturnType<typeof resources.sessions> & {
    /** The events of a session, in order and each once, until the loop is left or the signal aborted. */
    readonly follow: (sessionId: string, options?: FollowOptions<number>) => Following<number>
    /** Sends a message, and resolves to what became of its turn: replied, withheld, exited or failed. */
    readonly say: (sessionId: string, text: string, options?: SayOptions) => Promise<TurnOutcome>
  }
  readonly events: {
    /** The events of all sessions of the app, and its operational events. The cursor is opaque text. */
    readonly follow: (options?: FeedOptions) => Following<string>
  }
  readonly consumers: ReturnType<typeof resources.consumers>
  readonly endUsers: ReturnType<typeof resources.endUsers>
  readonly apps: ReturnType<typeof resources.apps>
  readonly telegram: ReturnType<typeof resources.telegram>
  readonly images: ReturnType<typeof resources.images>
  readonly imports: ReturnType<typeof resources.imports>
  readonly evals: ReturnType<typeof resources.evals>
  readonly usage: ReturnType<typeof resources.usage>
  readonly service: ReturnType<typeof resources.service>
  readonly webhooks = { unwrap }

  constructor(options: ClientOptions) {
    const transport = new Transport(options)
    const methods = methodsOf(transport)
    this.characters = resources.characters(methods)
    this.sessions = {
      ...resources.sessions(methods),
      follow: (sessionId, following = {}) => {
        const path = `/v1/sessions/${encodeURIComponent(sessionId)}/events`
        return follow(
          transport,
          {
            path,
            start: 0,
            parse: Number,
            cursorOf: (event) => event.cursor,
            isSeen: (event, cursor) => event.cursor <= cursor
          },
          following
        )
      },
      say: (sessionId, text, saying) => say(transport, sessionId, text, saying)
    }
    this.events = {
      follow: ({ types, character, session, ...following } = {}) =>
        follow(
          transport,
          {
            path: "/v1/events",
            start: "0",
            parse: (id) => id,
            query: { types: types?.join(","), character, session }
          },
          following
        )
    }
    this.consumers = resources.consumers(methods)
    this.endUsers = resources.endUsers(methods)
    this.apps = resources.apps(methods)
    this.telegram = resources.telegram(methods)
    this.images = resources.images(methods)
    this.imports = resources.imports(methods)
    this.evals = resources.evals(methods)
    this.usage = resources.usage(methods)
    this.service = resources.service(methods)
  }
}
