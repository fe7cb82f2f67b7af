import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as check from "./checks.ts"
import { text } from "./text.ts"

const SAMPLERS = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio"
] as const

const env = Config.all({
  OTEL_EXPORTER_OTLP_ENDPOINT: Config.option(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT")),
  OTEL_EXPORTER_OTLP_HEADERS: Config.option(Config.Redacted("OTEL_EXPORTER_OTLP_HEADERS")),
  OTEL_EXPORTER_OTLP_PROTOCOL: text("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
  OTEL_SERVICE_NAME: text("OTEL_SERVICE_NAME", "troupe"),
  OTEL_RESOURCE_ATTRIBUTES: text("OTEL_RESOURCE_ATTRIBUTES", ""),
  OTEL_TRACES_SAMPLER: text("OTEL_TRACES_SAMPLER", "parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: text("OTEL_TRACES_SAMPLER_ARG", "1"),
  OTEL_BSP_SCHEDULE_DELAY: text("OTEL_BSP_SCHEDULE_DELAY", "5000"),
  OTEL_METRIC_EXPORT_INTERVAL: text("OTEL_METRIC_EXPORT_INTERVAL", "60000"),
  OTEL_CAPTURE_CONTENT: text("OTEL_CAPTURE_CONTENT", "false")
})

const decoded = (part: string): string | null => {
  try {
    return decodeURIComponent(part.trim())
  } catch {
    return null
  }
}

/** `name=value,name=value`, with values as in a URL. Null if it has another form. */
const pairs = (list: string): Readonly<Record<string, string>> | null => {
  const entries = list
    .split(",")
    .filter((pair) => pair.trim() !== "")
    .map((pair) => {
      const at = pair.indexOf("=")
      return at < 1 ? null : ([decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))] as const)
    })
  return entries.every((entry): entry is readonly [string, string] => entry !== null && !entry.includes(null))
    ? Object.fromEntries(entries)
    : null
}
const PAIRS = "must be a comma-separated list of name=value"

/** Where telemetry is sent, by the standard variables of OpenTelemetry. Null: nowhere. */
export const readOtlp = Effect.gen(function* () {
  const e = yield* env
  const endpoint = yield* check.optionalUrl("OTEL_EXPORTER_OTLP_ENDPOINT", e.OTEL_EXPORTER_OTLP_ENDPOINT)
  const headers = check.givenSecret(e.OTEL_EXPORTER_OTLP_HEADERS)
  const sampler = yield* check.oneOf("OTEL_TRACES_SAMPLER", e.OTEL_TRACES_SAMPLER, SAMPLERS)
  const ratio = yield* check.optionalNumber("OTEL_TRACES_SAMPLER_ARG", Option.some(e.OTEL_TRACES_SAMPLER_ARG), 0, 1)
  const settings = {
    endpoint,
    headers:
      headers === null
        ? null
        : Redacted.make(yield* check.need("OTEL_EXPORTER_OTLP_HEADERS", pairs(Redacted.value(headers)), PAIRS), {
            label: "OTEL_EXPORTER_OTLP_HEADERS"
          }),
    protocol: yield* check.oneOf("OTEL_EXPORTER_OTLP_PROTOCOL", e.OTEL_EXPORTER_OTLP_PROTOCOL, [
      "http/protobuf",
      "http/json"
    ]),
    serviceName: yield* check.named("OTEL_SERVICE_NAME", e.OTEL_SERVICE_NAME),
    attributes: yield* check.need("OTEL_RESOURCE_ATTRIBUTES", pairs(e.OTEL_RESOURCE_ATTRIBUTES), PAIRS),
    /** The share of new traces that is recorded. A caller's decision is kept. */
    ratio: sampler.endsWith("always_on") ? 1 : sampler.endsWith("always_off") ? 0 : (ratio ?? 1),
    spansEvery: Duration.millis(yield* check.whole("OTEL_BSP_SCHEDULE_DELAY", e.OTEL_BSP_SCHEDULE_DELAY, 10, 600_000)),
    metricsEvery: Duration.millis(
      yield* check.whole("OTEL_METRIC_EXPORT_INTERVAL", e.OTEL_METRIC_EXPORT_INTERVAL, 100, 3_600_000)
    ),
    captureContent: (yield* check.oneOf("OTEL_CAPTURE_CONTENT", e.OTEL_CAPTURE_CONTENT, ["true", "false"])) === "true"
  }
  return endpoint === null ? null : { ...settings, endpoint }
})
export type OtlpSettings = NonNullable<Effect.Success<typeof readOtlp>>
