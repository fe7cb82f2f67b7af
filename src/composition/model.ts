import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Transcriber } from "#channels/Transcriber.ts"
import { Settings } from "#src/settings/Settings.ts"

/** How long a voice message may take to be listened to; its chat waits meanwhile. */
const LISTENING = "45 seconds"

/** The labelled offline engine. */
export const offlineWriter = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("#src/model/offline/OfflineWriter.ts")),
    ({ layer }) => layer
  )
)

/**
 * The engine behind replies: a model behind an address, or the labelled offline one. Loaded only when it is the one.
 */
export const writer = Layer.unwrap(
  Effect.gen(function* () {
    const { model } = yield* Settings
    if (model === null) return offlineWriter
    return (yield* Effect.promise(() => import("#src/model/openai/OpenAiEngine.ts"))).layer({
      ...model,
      analyzeModel: model.analyzes ? model.analyzeModel : null
    })
  })
)

/** What listens to voice messages, where a model for it is named. */
export const transcriber = Layer.unwrap(
  Effect.gen(function* () {
    const { model } = yield* Settings
    if (model === null || model.transcribeModel === null) return Transcriber.none
    const { layer } = yield* Effect.promise(() => import("#src/model/openai/OpenAiTranscriber.ts"))
    return layer({ apiKey: model.apiKey, baseUrl: model.baseUrl, model: model.transcribeModel, deadline: LISTENING })
  })
)

/** How long a picture may take. */
const PAINTING = "2 minutes"

/** What makes pictures: a model, where one for it is named, or labelled placeholders. */
export const painter = Layer.unwrap(
  Effect.gen(function* () {
    const { model } = yield* Settings
    if (model === null || model.imageModel === null)
      return (yield* Effect.promise(() => import("#src/model/offline/OfflinePainter.ts"))).layer
    const { layer } = yield* Effect.promise(() => import("#src/model/openai/OpenAiPainter.ts"))
    return layer({ apiKey: model.apiKey, baseUrl: model.baseUrl, model: model.imageModel, deadline: PAINTING })
  })
)
