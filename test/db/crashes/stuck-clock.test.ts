import { assert, describe, it } from "vitest"
import { StuckClock } from "#src/db/crashes/StuckClock.ts"

const TICK = 500
/**
 * Observes a main thread tick by tick: how long each tick was, what the process computed in it, whether the loop
 * turned, and the current entry.
 */
const watch = (
  ticks: ReadonlyArray<{
    readonly ms?: number
    readonly cpu?: number
    readonly beat?: boolean
    readonly entry?: number
    readonly hasWorked?: boolean
  }>
) => {
  let now = 0
  let cpuMs = 0
  let beats = 1
  const clock = new StuckClock(TICK, now, cpuMs)
  clock.look({ beats, hasWorked: true, entry: 1, unit: "u", workerId: "w" }, now, cpuMs)
  return ticks.map(({ ms = TICK, cpu = 1, beat = false, entry = 1, hasWorked = true }) => {
    now += ms
    cpuMs += ms * cpu
    if (beat) beats++
    return clock.look({ beats, hasWorked, entry, unit: "u", workerId: "w" }, now, cpuMs)
  })
}
const times = (count: number, tick: Parameters<typeof watch>[0][number] = {}) =>
  Array.from({ length: count }, () => tick)

describe("the time that an event loop has been stuck", () => {
  it("grows while the loop computes without turning, and restarts when it turns", () => {
    assert.strictEqual(watch(times(20)).at(-1)?.stuckMs, 10_000)
    assert.strictEqual(watch([...times(19), { beat: true }, ...times(3)]).at(-1)?.stuckMs, 1_500)
  })

  it("does not include the time that the process was stopped or the machine slept", () => {
    assert.isAtMost(watch([{ ms: 30_000, cpu: 0 }, { beat: true }]).at(0)?.stuckMs ?? 1, 0)
    assert.isAtMost(watch([...times(2), { ms: 30_000 }]).at(-1)?.stuckMs ?? 9_999, 1_500)
  })

  it("does not include the start of the process, before its first unit of work", () => {
    assert.strictEqual(watch(times(40, { entry: 0, hasWorked: false })).at(-1)?.stuckMs, 0)
    assert.strictEqual(watch([...times(40, { entry: 0, hasWorked: false }), ...times(3)]).at(-1)?.stuckMs, 1_500)
  })

  it("does not include the time spent waiting for a disk or a debugger", () => {
    assert.strictEqual(watch(times(100, { cpu: 0.01 })).at(-1)?.stuckMs, 0)
  })

  it("is attributed to a unit only if that unit ran for most of it", () => {
    assert.strictEqual(watch(times(20)).at(-1)?.unit, "u")
    assert.strictEqual(watch([...times(5), ...times(15, { entry: 2 })]).at(-1)?.unit, "u")
    assert.strictEqual(watch(Array.from({ length: 20 }, (_, n) => ({ entry: n + 2 }))).at(-1)?.unit, "")
  })
})
