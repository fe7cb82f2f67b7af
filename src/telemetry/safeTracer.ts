import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { describeError } from "./describeError.ts"

/** The error of a span, without the words of a person or a model. */
class SpanError extends Error {
  constructor(thrown: unknown) {
    const { error, error_message, error_code, stack } = describeError(thrown)
    super(error_message ?? error_code ?? error)
    this.name = error
    this.stack = `${error}\n${stack ?? ""}`
  }
}

const scrubbed = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit)
    ? Exit.void
    : Cause.hasInterruptsOnly(exit.cause)
      ? exit
      : Exit.fail(new SpanError(Cause.squash(exit.cause)))

/**
 * Records a share of the traces that begin here, and all that a caller records. A trace begins with a request, an
 * update, a turn or a delivery: spans of background work that belong to none are not recorded.
 */
export const safeTracer = (tracer: Tracer.Tracer, ratio: number, random: () => number): Tracer.Tracer => {
  const isWanted = (options: Parameters<Tracer.Tracer["span"]>[0]) =>
    options.sampled && (Option.isSome(options.parent) || (options.kind !== "internal" && random() < ratio))
  return Tracer.make({
    span: (options) => {
      if (!isWanted(options)) return new Tracer.NativeSpan({ ...options, sampled: false })
      const span = tracer.span(options)
      const end = span.end.bind(span)
      const safeEnd: Tracer.Span["end"] = (time, exit) => end(time, scrubbed(exit))
      span.end = safeEnd
      return span
    }
  })
}
