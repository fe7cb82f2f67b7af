import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterEach, assert, describe, it, vi } from "vitest"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { until } from "#test/support/until.ts"

const nextTick = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve)
  })

interface Flight {
  readonly batch: ReadonlyArray<number>
  readonly land: () => void
  readonly crash: (cause: unknown) => void
}

/** A store whose batches stay in flight until the test completes them. Results are the items times ten. */
const slowStore = (options: {
  readonly maxBatch: number
  readonly inFlight: number
  readonly gatherMs?: number
  readonly overtakenAfterMs?: number
  readonly keyOf?: (item: number) => string
  readonly appOf?: (item: number) => string
}) => {
  const flights: Array<Flight> = []
  const submit = groupCommit<number, number>({
    ...options,
    run: (batch) =>
      new Promise((resolve, reject) => {
        flights.push({ batch, land: () => resolve(batch.map((item) => item * 10)), crash: reject })
      })
  })
  return { flights, send: (item: number) => Effect.runPromise(submit(item)) }
}

describe("group commit", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it("flushes at once when idle, with all calls of one tick together", async () => {
    const { flights, send } = slowStore({ maxBatch: 64, inFlight: 2 })
    const answers = Promise.all([1, 2, 3].map(send))
    await nextTick()
    assert.deepStrictEqual(
      flights.map(({ batch }) => batch),
      [[1, 2, 3]]
    )
    flights[0]?.land()
    assert.deepStrictEqual(await answers, [10, 20, 30])
  })

  it("collects calls while batches are in flight, and sends them as soon as one returns", async () => {
    const { flights, send } = slowStore({ maxBatch: 3, inFlight: 2 })
    const answers: Array<Promise<number>> = []
    for (let item = 0; item < 8; item++) {
      answers.push(send(item))
      await nextTick()
    }
    assert.deepStrictEqual(
      flights.map(({ batch }) => batch),
      [[0], [1]]
    )
    flights[1]?.land()
    await answers[1]
    await nextTick()
    assert.deepStrictEqual(
      flights.map(({ batch }) => batch),
      [[0], [1], [2, 3, 4]]
    )
    flights[0]?.land()
    await answers[0]
    await nextTick()
    assert.deepStrictEqual(flights[3]?.batch, [5, 6, 7])
    for (const flight of flights) flight.land()
    assert.deepStrictEqual(await Promise.all(answers), [0, 10, 20, 30, 40, 50, 60, 70])
  })

  it("runs equal items that wait at the same time once, and later ones again", async () => {
    const { flights, send } = slowStore({ maxBatch: 2, inFlight: 1, keyOf: String })
    const first = [7, 7, 8, 9, 9].map(send)
    await nextTick()
    // 7 is under way, so that a read of it now may find more.
    const later = [9, 7].map(send)
    flights[0]?.land()
    assert.deepStrictEqual(await Promise.all(first.slice(0, 3)), [70, 70, 80])
    flights[1]?.crash(new Error("bad row"))
    await until("a third batch", () => flights.length === 3)
    flights[2]?.land()
    await until("a fourth batch", () => flights.length === 4)
    flights[3]?.crash(new DatabaseError({ reason: "refused", sqlState: "22021", cause: "no" }))
    assert.deepStrictEqual(await Promise.all([...first.slice(3), later[0]]), [90, 90, 90])
    const refused = await later[1]?.catch((error: unknown) => error)
    assert.instanceOf(refused, Error)
    assert.deepStrictEqual(
      flights.map(({ batch }) => batch),
      [[7, 8], [9, 7], [9], [7]]
    )
  })

  it("sends items of an app at once if only other apps have any in flight, one such batch at a time", async () => {
    const { flights, send } = slowStore({ maxBatch: 2, inFlight: 1, appOf: (item) => String(Math.floor(item / 100)) })
    const answers: Array<Promise<number>> = []
    const sends = async (...items: ReadonlyArray<number>) => {
      answers.push(...items.map(send))
      await nextTick()
    }
    await sends(100, 101, 102)
    await sends(200, 300)
    await sends(103, 201, 400)
    assert.deepStrictEqual(
      flights.map(({ batch }) => batch),
      [
        [100, 101],
        [200, 300]
      ]
    )
    flights[1]?.land()
    await Promise.all(answers.slice(3, 5))
    await nextTick()
    assert.deepStrictEqual(flights[2]?.batch, [201, 400])
    for (let landed = 0; landed < 4; landed++) {
      for (const flight of flights) flight.land()
      await nextTick()
      await nextTick()
    }
    assert.deepStrictEqual(
      await Promise.all(answers),
      [100, 101, 102, 200, 300, 103, 201, 400].map((item) => item * 10)
    )
  })

  it("sends the next batch before it distributes the results of the previous one", async () => {
    const order: Array<string> = []
    const submit = groupCommit<number, number>({
      maxBatch: 1,
      inFlight: 1,
      run: async (batch) => {
        order.push(`${batch.join()} is sent`)
        await nextTick()
        return batch
      }
    })
    await Promise.all(
      [1, 2].map((item) =>
        Effect.runPromise(Effect.tap(submit(item), () => Effect.sync(() => order.push(`${item} is answered`))))
      )
    )
    assert.deepStrictEqual(order, ["1 is sent", "2 is sent", "1 is answered", "2 is answered"])
  })

  it(
    "lets the first call of a batch wait for others if the previous batch had several, and sends a full batch at " +
      "once",
    async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      const { flights, send } = slowStore({ maxBatch: 3, inFlight: 1, gatherMs: 5 })
      const answers: Array<Promise<number>> = []
      const landed = async (flight: number) => {
        flights[flight]?.land()
        await answers[(flights[flight]?.batch.at(-1) ?? 0) - 1]
        await nextTick()
      }
      answers.push(send(1))
      await nextTick()
      await landed(0)
      answers.push(send(2), send(3))
      await nextTick()
      assert.deepStrictEqual(
        flights.map(({ batch }) => batch),
        [[1], [2, 3]]
      )
      await landed(1)
      answers.push(send(4))
      await nextTick()
      answers.push(send(5))
      vi.advanceTimersByTime(4)
      assert.lengthOf(flights, 2)
      vi.advanceTimersByTime(1)
      assert.deepStrictEqual(flights[2]?.batch, [4, 5])
      answers.push(...[6, 7, 8, 9].map(send))
      vi.advanceTimersByTime(5)
      await landed(2)
      assert.deepStrictEqual(flights[3]?.batch, [6, 7, 8])
      await landed(3)
      assert.lengthOf(flights, 4)
      vi.advanceTimersByTime(5)
      assert.deepStrictEqual(flights[4]?.batch, [9])
      await landed(4)
      assert.deepStrictEqual(await Promise.all(answers), [10, 20, 30, 40, 50, 60, 70, 80, 90])
    }
  )

  it("continues past a batch that does not return, and past at most three of them", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { flights, send } = slowStore({ maxBatch: 3, inFlight: 1, overtakenAfterMs: 250 })
    const answers: Array<Promise<number>> = []
    for (const item of [1, 2, 3, 4, 5]) {
      answers.push(send(item))
      await nextTick()
      vi.advanceTimersByTime(249)
      assert.strictEqual(flights.length, Math.min(item, 4))
      vi.advanceTimersByTime(1)
    }
    assert.deepStrictEqual(
      flights.map(({ batch }) => batch),
      [[1], [2], [3], [4]]
    )
    flights[3]?.land()
    assert.strictEqual(await answers[3], 40)
    await nextTick()
    assert.deepStrictEqual(flights[4]?.batch, [5])
    for (const flight of flights) flight.land()
    assert.deepStrictEqual(await Promise.all(answers), [10, 20, 30, 40, 50])
    const last = send(6)
    await nextTick()
    const behind = send(7)
    await nextTick()
    assert.deepStrictEqual(
      flights.slice(5).map(({ batch }) => batch),
      [[6]]
    )
    flights[5]?.land()
    await last
    await nextTick()
    flights[6]?.land()
    assert.strictEqual(await behind, 70)
  })

  it("yields to the event loop between two rows of a batch that take long", async () => {
    const done: Array<string> = []
    const long = () => {
      const until = performance.now() + 12
      while (performance.now() < until);
    }
    const submit = groupCommit<number, number>({ maxBatch: 3, inFlight: 1, run: async (batch) => [...batch] })
    await Promise.all(
      [1, 2, 3].map((item) =>
        Effect.runPromise(
          Effect.tap(submit(item), () =>
            Effect.sync(() => {
              long()
              done.push(`answer ${item}`)
              if (item === 1) setImmediate(() => done.push("another"))
            })
          )
        )
      )
    )
    assert.deepStrictEqual(done, ["answer 1", "another", "answer 2", "answer 3"])
  })

  it("runs the rows of a failed batch one by one, so that only the bad row is refused", async () => {
    const alone: Array<number> = []
    const submit = groupCommit<number, number>({
      maxBatch: 64,
      inFlight: 1,
      run: async () => {
        throw new Error("the batch failed")
      },
      runAlone: async (item) => {
        alone.push(item)
        if (item === 2) throw new Error("the row is bad")
        return item * 10
      }
    })
    const exits = await Promise.all([1, 2, 3].map((item) => Effect.runPromise(Effect.result(submit(item)))))
    assert.deepStrictEqual(alone, [1, 2, 3])
    assert.deepStrictEqual(
      exits.map((exit) => exit._tag),
      ["Success", "Failure", "Success"]
    )
    assert.isTrue(exits[1]?._tag === "Failure" && exits[1].failure instanceof DatabaseError)
  })

  it("continues after a failed batch", async () => {
    const { flights, send } = slowStore({ maxBatch: 1, inFlight: 1 })
    const first = send(1)
    await nextTick()
    const second = send(2)
    flights[0]?.crash(new Error("connection lost"))
    await nextTick()
    flights[1]?.land()
    assert.strictEqual(await first, 10)
    await nextTick()
    flights[2]?.land()
    assert.strictEqual(await second, 20)
  })

  const unreachable = Object.assign(new Error("connection lost"), { code: "ECONNREFUSED" })
  const reasonOf = (effect: Effect.Effect<number, DatabaseError>) =>
    Effect.runPromise(
      effect.pipe(
        Effect.map(String),
        Effect.catchTag("DatabaseError", ({ reason }) => Effect.succeed(reason))
      )
    )

  it("fails all waiting calls as soon as a single row finds the database unreachable", async () => {
    const alone: Array<number> = []
    const submit = groupCommit<number, number>({
      maxBatch: 3,
      inFlight: 1,
      run: async () => {
        throw unreachable
      },
      runAlone: async (item) => {
        alone.push(item)
        throw unreachable
      }
    })
    const reasons = await Promise.all(Array.from({ length: 10 }, (_, item) => reasonOf(submit(item))))
    assert.deepStrictEqual(
      reasons,
      reasons.map(() => "unreachable")
    )
    assert.deepStrictEqual(alone, [0])
  })

  it("retries each row of a batch whose connection was lost when the database is back", async () => {
    const submit = groupCommit<number, number>({
      maxBatch: 3,
      inFlight: 1,
      run: async () => {
        throw unreachable
      },
      runAlone: async (item) => item * 10
    })
    assert.deepStrictEqual(await Promise.all([1, 2].map((item) => reasonOf(submit(item)))), ["10", "20"])
  })

  it("fails all waiting calls when a batch gets no answer in time, and continues with the next", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    let silent = true
    const submit = groupCommit<number, number>({
      maxBatch: 2,
      inFlight: 1,
      run: (batch) => (silent ? new Promise(() => {}) : Promise.resolve(batch.map((item) => item * 10)))
    })
    const reasons = Promise.all([1, 2, 3].map((item) => reasonOf(submit(item))))
    await nextTick()
    vi.advanceTimersByTime(15_000)
    assert.deepStrictEqual(await reasons, ["unreachable", "unreachable", "unreachable"])
    silent = false
    assert.strictEqual(await reasonOf(submit(4)), "40")
  })

  it("fails only the calls of a batch without an answer if other batches succeeded meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const outcome = (answer: Promise<number>) => answer.then(String, () => "refused")
    const { flights, send } = slowStore({ maxBatch: 1, inFlight: 2 })
    const answers = []
    for (const item of [1, 2, 3, 4]) {
      answers.push(outcome(send(item)))
      await nextTick()
    }
    vi.advanceTimersByTime(1000)
    flights[1]?.land()
    assert.strictEqual(await answers[1], "20")
    await nextTick()
    vi.advanceTimersByTime(14_000)
    assert.strictEqual(await answers[0], "refused")
    await nextTick()
    for (const flight of flights) flight.land()
    assert.deepStrictEqual(await Promise.all(answers), ["refused", "20", "30", "40"])
  })

  it("gives each call its own result, whatever the batches, limits and failures", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ waves: fc.nat({ max: 3 }), bad: fc.boolean() }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 3 }),
        async (calls, maxBatch, inFlight) => {
          let running = 0
          let mostRunning = 0
          let largest = 0
          const order: Array<number> = []
          const submit = groupCommit<number, string>({
            maxBatch,
            inFlight,
            run: async (batch) => {
              running++
              mostRunning = Math.max(mostRunning, running)
              largest = Math.max(largest, batch.length)
              order.push(...batch)
              await nextTick()
              running--
              if (batch.some((item) => calls[item]?.bad)) throw new Error("a bad row")
              return batch.map(String)
            }
          })
          const answers: Array<Promise<string>> = []
          for (const [item, { waves }] of calls.entries()) {
            answers.push(
              Effect.runPromise(submit(item).pipe(Effect.catchTag("DatabaseError", () => Effect.succeed("refused"))))
            )
            for (let wave = 0; wave < waves; wave++) await nextTick()
          }
          assert.deepStrictEqual(
            await Promise.all(answers),
            calls.map(({ bad }, item) => (bad ? "refused" : String(item)))
          )
          assert.isAtMost(largest, maxBatch)
          assert.isAtMost(mostRunning, inFlight)
          const firstSeen = [...new Set(order)]
          assert.deepStrictEqual(
            firstSeen,
            firstSeen.toSorted((a, b) => a - b)
          )
        }
      ),
      { numRuns: 100 }
    ))
})
