import * as Duration from "effect/Duration"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { nextDelay } from "#channels/retryAfter.ts"
import { SCHEDULE } from "#channels/webhook/schedule.ts"

const seconds = (wait: Duration.Duration) => Duration.toSeconds(wait)
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe("the wait before the next attempt", () => {
  it("is the step, up to a fifth shorter or longer", () => {
    const waits = [0, 0.5, 1].map((random) => seconds(nextDelay(Duration.minutes(5), null, random)))
    assert.deepStrictEqual(waits, [240, 300, 360])
  })

  it.each([
    ["sooner than that", 1, 348],
    ["between the step and twice the step", 400, 400],
    ["later than both", 100_000, 600]
  ] as const)("respects a receiver that asks for a time %s", (_, asked, waited) => {
    assert.strictEqual(seconds(nextDelay(Duration.minutes(5), Duration.seconds(asked), 0.9)), waited)
  })

  it("is between a fifth less than the step and twice the step, whatever a receiver asks for", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SCHEDULE), fc.option(fc.nat()), chance, (step, asked, random) => {
        const wait = seconds(nextDelay(step, asked === null ? null : Duration.seconds(asked), random))
        assert.isAtLeast(wait, 0.8 * seconds(step))
        assert.isAtMost(wait, 2 * seconds(step))
      })
    )
  })
})

describe("the schedule of webhooks", () => {
  it("retries often in the first minute, and continues for more than two days", () => {
    assert.deepStrictEqual(SCHEDULE.map(seconds), [
      1,
      2,
      5,
      15,
      30,
      ...[1, 2, 5, 15, 30].map((n) => n * 60),
      ...[1, 2, 4, 8, 12, 24].map((n) => n * 3600)
    ])
  })

  it("waits longer each time", () => {
    assert.deepStrictEqual(
      SCHEDULE.map(seconds),
      SCHEDULE.map(seconds).sort((a, b) => a - b)
    )
  })
})
