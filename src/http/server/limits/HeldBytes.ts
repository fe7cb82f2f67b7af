import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerResponse } from "node:http"
import type { Room } from "#channels/event-log/ReadRoom.ts"
import { SLOW_READER_MS } from "#channels/event-log/Feeds.ts"
import { counter, observedGauge } from "#pipeline/telemetry/metric.ts"
import type { Owner } from "./Owner.ts"

/** Of all owners together, in this process. */
export const MOST_BYTES = 128 * 1024 * 1024
/** A reader that has paused for this long is left if its bytes are in the way of others. */
const PAUSE_MS = 2000
/** How fast a client must take what it was sent, after the time in which it may pause. */
const LEAST_BYTES_PER_MS = 64
const LOOK_MS = 1000

interface Waiting {
  readonly bytes: number
  readonly begin: () => void
}

/** What the answers to one owner take. */
interface Share {
  readonly owner: Owner
  /** What its connections have not taken, and what may come from reads in flight. */
  bytes: number
  readonly waiting: Array<Waiting>
  uses: number
}

interface Answer {
  readonly share: Share
  readonly response: ServerResponse
  /** What its connection has not taken. */
  bytes: number
  /** When it last took something, or when there was nothing left to take. By a clock that is never set. */
  movedAt: number
  readonly update: () => void
}

/** Whether others of its connection come first. Its reader cannot take it yet, and it has no connection of its own. */
const isBehind = (response: ServerResponse) => response.socket === null

/**
 * Bounds the memory that answers take which their readers do not take: an owner's, and that of the process. A read for
 * an answer waits until there is room. A reader that pauses is left if others wait for its room, and in any case if it
 * is too slow. An owner that has nothing in memory never waits.
 */
export class HeldBytes extends Context.Service<
  HeldBytes,
  {
    /** Lets the reads of this owner begin when there is room. */
    readonly roomOf: (owner: Owner) => Room
    /** Whether there is room for this much at once. */
    readonly hasRoom: (owner: Owner, bytes: number) => boolean
    /** Counts what this response has not sent, until it closes. Call the returned function when that has changed. */
    readonly watch: (owner: Owner, response: ServerResponse) => () => void
  }
>()("src/http/server/limits/HeldBytes") {
  static readonly layer = Layer.effect(
    HeldBytes,
    Effect.gen(function* () {
      let total = 0
      const shares = new Map<string, Share>()
      const answers = new Map<ServerResponse, Answer>()
      /** Those that have a read waiting. */
      const crowded = new Set<Share>()
      let timer: NodeJS.Timeout | undefined
      const left = counter("troupe_slow_readers_left_total", "Connections closed because their readers were too slow")

      const enter = (owner: Owner): Share => {
        const share = shares.get(owner.id) ?? { owner, bytes: 0, waiting: [], uses: 0 }
        shares.set(owner.id, share)
        share.uses++
        return share
      }
      const exit = (share: Share) => {
        if (--share.uses === 0) shares.delete(share.owner.id)
      }
      const fits = (share: Share, bytes: number) =>
        share.bytes === 0 || (share.bytes + bytes <= share.owner.most && total + bytes <= MOST_BYTES)
      const add = (share: Share, bytes: number) => {
        share.bytes += bytes
        total += bytes
        if (bytes < 0 && crowded.size > 0) admit()
      }
      const admit = () => {
        for (const share of crowded) {
          for (let [first] = share.waiting; first !== undefined && fits(share, first.bytes); [first] = share.waiting) {
            share.waiting.shift()
            add(share, first.bytes)
            first.begin()
          }
          if (share.waiting.length === 0) crowded.delete(share)
        }
      }

      const look = () => {
        const now = performance.now()
        const wanted = Math.max(0, ...[...crowded].map(({ waiting: [first] }) => first?.bytes ?? 0))
        for (const answer of answers.values()) answer.update()
        const paused = [...answers.values()]
          .filter((answer) => answer.bytes > 0 && now - answer.movedAt >= PAUSE_MS)
          .toSorted((a, b) => b.share.bytes - a.share.bytes || a.movedAt - b.movedAt)
        for (const answer of paused) {
          const { share, response, bytes, movedAt } = answer
          const next = share.waiting[0]?.bytes ?? 0
          const isInTheWay = share.bytes + next > share.owner.most || total + wanted > MOST_BYTES
          const isTooSlow = !isBehind(response) && now - movedAt > SLOW_READER_MS + bytes / LEAST_BYTES_PER_MS
          if (isInTheWay || isTooSlow) leave(answer)
        }
        timer = undefined
        arm()
      }
      const arm = () => {
        if (timer === undefined && answers.size > 0) timer = setTimeout(look, LOOK_MS).unref()
      }
      const leave = ({ response, update }: Answer) => {
        left.add(1)
        response.destroy()
        if (isBehind(response)) response.req.socket.destroy()
        update()
      }

      const watch = (owner: Owner, response: ServerResponse) => {
        const known = answers.get(response)
        if (known !== undefined) return known.update
        if (response.closed) return () => {}
        const share = enter(owner)
        const answer: Answer = {
          share,
          response,
          bytes: 0,
          movedAt: performance.now(),
          update: () => {
            const bytes = response.destroyed ? 0 : response.writableLength
            const grown = bytes - answer.bytes
            if (grown === 0) return
            if (grown < 0 || answer.bytes === 0) answer.movedAt = performance.now()
            answer.bytes = bytes
            add(share, grown)
          }
        }
        answers.set(response, answer)
        response.once("socket", () => {
          answer.movedAt = performance.now()
        })
        response.once("close", () => {
          answers.delete(response)
          add(share, -answer.bytes)
          answer.bytes = 0
          exit(share)
        })
        arm()
        return answer.update
      }

      const wait = (share: Share, bytes: number) =>
        Effect.callback<void>((resume) => {
          const waiting = { bytes, begin: () => resume(Effect.void) }
          share.waiting.push(waiting)
          crowded.add(share)
          return Effect.sync(() => {
            const index = share.waiting.indexOf(waiting)
            if (index !== -1) share.waiting.splice(index, 1)
            // Those behind it may need less room.
            admit()
          })
        })
      const roomOf =
        (owner: Owner): Room =>
        (bytes, read) =>
          Effect.uninterruptibleMask((restore) => {
            const share = enter(owner)
            const reading = Effect.ensuring(
              restore(read),
              Effect.sync(() => add(share, -bytes))
            )
            const leaving = Effect.sync(() => exit(share))
            if (share.waiting.length > 0 || !fits(share, bytes))
              return Effect.ensuring(Effect.andThen(restore(wait(share, bytes)), reading), leaving)
            add(share, bytes)
            return Effect.ensuring(reading, leaving)
          })

      yield* observedGauge("troupe_unread_bytes", "Bytes of answers that their readers have not taken", () => total)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearTimeout(timer)))

      return HeldBytes.of({
        roomOf,
        hasRoom: (owner, bytes) => {
          const share = shares.get(owner.id)
          return share === undefined || (share.waiting.length === 0 && fits(share, bytes))
        },
        watch
      })
    })
  )
}
