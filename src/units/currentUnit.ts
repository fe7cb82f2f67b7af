import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import type { Unit } from "./Unit.ts"
import { Vitals } from "./vitals.ts"

/** The vitals of this process. */
export const vitals = new Vitals()

/** The unit of work that a fiber belongs to. Forked fibers inherit it. */
export const CurrentUnit = Context.Reference<Unit | null>("src/units/CurrentUnit", { defaultValue: () => null })

/** The unit whose code is running on the main thread. */
let inside: Unit | null = null
/** The unit whose bytes are in the shared memory. */
let written: Unit | null = null
let entries = 0

const enter = (unit: Unit | null) => {
  inside = unit
  if (unit === null) return vitals.enter(0)
  if (written !== unit) {
    // Leave the unit first, so that the monitor never reads a half-written name.
    vitals.enter(0)
    vitals.write(unit.text)
    written = unit
  }
  entries = (entries % 0x3fff_ffff) + 1
  vitals.enter(entries)
}

/** Runs synchronous code in a unit. */
export const during = <A>(unit: Unit | null, work: () => A): A => {
  if (unit === inside) return work()
  const outer = inside
  enter(unit)
  try {
    return work()
  } finally {
    enter(outer)
  }
}

/** For promises: call it in the unit's code. The result runs code after an `await` in the same unit. */
export const stayInUnit = (): (<A>(work: () => A) => A) => {
  const unit = inside
  return (work) => during(unit, work)
}

const evaluate = "~effect/Effect/evaluate"

/**
 * Marks the fiber's unit before each step of each fiber, and restores the outer one after it. So code between steps, or
 * another fiber that a step runs, is not attributed to the unit.
 */
const step = <A>(primitive: Tracer.EffectPrimitive<A>, fiber: Fiber.Fiber<unknown, unknown>): A => {
  const unit = fiber.getRef(CurrentUnit)
  if (unit === inside) return primitive[evaluate](fiber)
  const outer = inside
  enter(unit)
  try {
    return primitive[evaluate](fiber)
  } finally {
    enter(outer)
  }
}

/** For all fibers that run units, and all fibers that these may wake. */
export const layer = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, (tracer) => ({ span: tracer.span, context: step }))
)

/**
 * Runs an effect as a unit of work. Within another unit it becomes part of that one, as the turns of an eval do. A step
 * may run on into the code that follows, so the end is a step of its own and the code after it is not attributed to the
 * unit.
 */
export const inUnit = <A, E, R>(unit: Unit, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentUnit, (outer) =>
    outer !== null
      ? work
      : Effect.flatMap(Effect.exit(Effect.provideService(work, CurrentUnit, unit)), (exit) =>
          Effect.suspend(() => exit)
        )
  )
