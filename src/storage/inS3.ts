import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { namesOf, Storage, StorageError } from "./Storage.ts"

export interface S3Options {
  /** Null: Amazon's endpoint. */
  readonly endpoint: string | null
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}

const CONNECT_MS = 5_000
const REQUEST_MS = 30_000

/** The service's error code, such as `NoSuchBucket`, without its message and the request. */
const codeOf = (thrown: unknown): string =>
  thrown instanceof Error ? ("code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name) : "failed"

/** Contents in a bucket of any S3-compatible service, with path-style addresses. The client is only loaded here. */
export const layer = (options: S3Options) =>
  Layer.effect(
    Storage,
    Effect.gen(function* () {
      const { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } = yield* Effect.promise(
        () => import("@aws-sdk/client-s3")
      )
      const client = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new S3Client({
              ...(options.endpoint !== null && { endpoint: options.endpoint }),
              region: options.region,
              forcePathStyle: true,
              credentials: {
                accessKeyId: options.accessKeyId,
                secretAccessKey: Redacted.value(options.secretAccessKey)
              },
              // Many S3-compatible services do not support the newer checksums.
              requestChecksumCalculation: "WHEN_REQUIRED",
              responseChecksumValidation: "WHEN_REQUIRED",
              requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true }
            })
        ),
        (client) => Effect.sync(() => client.destroy())
      )
      const at = (key: string) => ({ Bucket: options.bucket, Key: namesOf(key).join("/") })
      const attempt = <A>(work: (abortSignal: AbortSignal) => Promise<A>) =>
        Effect.tryPromise({ try: work, catch: (thrown) => new StorageError({ code: codeOf(thrown) }) })

      return Storage.of({
        kind: "s3",
        put: (key, content) =>
          Effect.asVoid(
            attempt((abortSignal) =>
              client.send(new PutObjectCommand({ ...at(key), Body: content, ContentLength: content.length }), {
                abortSignal
              })
            )
          ),
        get: (key) =>
          attempt(async (abortSignal) => {
            try {
              const { Body } = await client.send(new GetObjectCommand(at(key)), { abortSignal })
              return Body === undefined ? null : await Body.transformToByteArray()
            } catch (error) {
              if (error instanceof NoSuchKey) return null
              throw error
            }
          }),
        remove: (key) =>
          Effect.asVoid(attempt((abortSignal) => client.send(new DeleteObjectCommand(at(key)), { abortSignal })))
      })
    })
  )
