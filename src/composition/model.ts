import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Transcriber } from "#channels/Transcriber.ts"
import { Embedder } from "#src/model/Embedder.ts"
import { Settings } from "#src/settings/Settings.ts"

/** Timeout for the transcription of a voice message. Its chat waits in the meantime. */
const TRANSCRIPTION = "45 seconds"

/** The labelled offline engine. */
export const offlineWriter = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("#src/model/offline/OfflineWriter.ts")),
    ({ layer }) => layer
  )
)

/** The engine that writes replies: a model, or the labelled offline engine. Only the selected one is loaded. */
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

/** Transcribes voice messages, if a model for it is configured. */
export const transcriber = Layer.unwrap(
  Effect.gen(function* () {
    const { model } = yield* Settings
    if (model === null || model.transcribeModel === null) return Transcriber.none
    const { layer } = yield* Effect.promise(() => import("#src/model/openai/OpenAiTranscriber.ts"))
    return layer({
      apiKey: model.apiKey,
      baseUrl: model.baseUrl,
      model: model.transcribeModel,
      deadline: TRANSCRIPTION
    })
  })
)

/** Embeds what was said, if a model for it is configured. */
export const embedder = Layer.unwrap(
  Effect.gen(function* () {
    const { model } = yield* Settings
    if (model === null || model.embedModel === null) return Layer.succeed(Embedder, null)
    const { layer } = yield* Effect.promise(() => import("#src/model/openai/OpenAiEmbedder.ts"))
    return layer({ apiKey: model.apiKey, baseUrl: model.baseUrl, model: model.embedModel })
  })
)

/** Timeout for generating a picture. */
const IMAGES = "2 minutes"

/** Generates pictures: a model if one is configured, or else labelled placeholders. */
export const imageModel = Layer.unwrap(
  Effect.gen(function* () {
    const { model } = yield* Settings
    if (model === null || model.imageModel === null)
      return (yield* Effect.promise(() => import("#src/model/offline/OfflineImageModel.ts"))).layer
    const { layer } = yield* Effect.promise(() => import("#src/model/openai/OpenAiImageModel.ts"))
    return layer({ apiKey: model.apiKey, baseUrl: model.baseUrl, model: model.imageModel, deadline: IMAGES })
  })
)
