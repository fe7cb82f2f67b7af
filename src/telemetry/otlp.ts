import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import * as Cause from "effect/Cause"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { VERSION } from "#pipeline/domain/version.ts"
import { CaptureContent, Tracing } from "#pipeline/telemetry/trace.ts"
import type { OtlpSettings } from "#src/settings/otlp.ts"
import { logLine } from "./logLine.ts"
import { safeTracer } from "./safeTracer.ts"

/** Sends traces, metrics and logs over OTLP. A line of the log is sent as it is written. */
export const layer = (settings: OtlpSettings) => {
  const { endpoint, headers, serviceName, attributes, ratio, spansEvery, metricsEvery, captureContent } = settings
  const options = {
    resource: { serviceName, serviceVersion: VERSION, attributes },
    headers: headers === null ? undefined : Redacted.value(headers)
  }
  const tracer = Layer.effect(
    Tracer.Tracer,
    Effect.map(OtlpTracer.make({ ...options, url: `${endpoint}/v1/traces`, exportInterval: spansEvery }), (inner) =>
      safeTracer(inner, ratio, Math.random)
    )
  )
  const logger = Logger.layer(
    [
      Effect.map(OtlpLogger.make({ ...options, url: `${endpoint}/v1/logs` }), (inner) =>
        Logger.make<unknown, void>((line) =>
          inner.log({ ...line, message: JSON.stringify(logLine(line)), cause: Cause.empty })
        )
      )
    ],
    { mergeWithExisting: true }
  )
  const metrics = OtlpMetrics.layer({ ...options, url: `${endpoint}/v1/metrics`, exportInterval: metricsEvery })
  return Layer.mergeAll(
    tracer,
    logger,
    metrics,
    Layer.succeed(Tracing, true),
    Layer.succeed(CaptureContent, captureContent)
  ).pipe(
    Layer.provide([
      OtlpExporter.layerFlusher,
      settings.protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
      FetchHttpClient.layer
    ])
  )
}
