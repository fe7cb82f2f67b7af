import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import type { Unit } from "./Unit.ts"
import { Vitals } from "./vitals.ts"

/** Of this process. */
export const vitals = new Vitals()

/** The unit of work that a fiber belongs to, as do those that it forks. */
export const CurrentUnit = Context.Reference<Unit | null>("src/units/CurrentUnit", { defaultValue: () => null })

/** The unit whose code runs on the main thread now. */
let inside: Unit | null = null
/** Whose bytes are in the shared memory. */
let written: Unit | null = null
let entries = 0

const enter = (unit: Unit | null) => {
  inside = unit
  if (unit === null) return vitals.enter(0)
  if (written !== unit) {
    // Nobody may read half of one name and half of another.
    vitals.enter(0)
    vitals.write(unit.text)
    written = unit
  }
  entries = (entries % 0x3fff_ffff) + 1
  vitals.enter(entries)
}

/** Runs a synchronous stretch in a unit. */
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

/** For promises: called where the unit's code runs, gives what runs a later stretch of it, behind an `await`. */
export const stayInUnit = (): (<A>(work: () => A) => A) => {
  const unit = inside
  return (work) => during(unit, work)
}

const evaluate = "~effect/Effect/evaluate"

/**
 * Says before each step of each fiber which unit it belongs to, and takes that back after it: so what runs between
 * steps, or runs another fiber from within a step, is not taken for the unit's.
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

/** For all fibers that run units, and all that such fibers may wake. */
export const layer = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, (tracer) => ({ span: tracer.span, context: step }))
)

/**
 * Runs an effect as a unit of work. Within another unit it is a part of that one, as the turns of an eval are.
 * A step may go on with what comes next: the end is one of its own, so that what follows is not the unit's.
 */
export const inUnit = <A, E, R>(unit: Unit, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentUnit, (outer) =>
    outer !== null
      ? work
      : Effect.flatMap(Effect.exit(Effect.provideService(work, CurrentUnit, unit)), (exit) =>
          Effect.suspend(() => exit)
        )
  )
