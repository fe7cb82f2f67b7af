import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as check from "./checks.ts"
import { text } from "./text.ts"

/** Where contents are stored that are not rows. */
type StorageSettings =
  | { readonly kind: "database" }
  | { readonly kind: "folder"; readonly folder: string }
  | {
      readonly kind: "s3"
      readonly endpoint: string | null
      readonly bucket: string
      readonly region: string
      readonly accessKeyId: string
      readonly secretAccessKey: Redacted.Redacted<string>
    }

const env = Config.all({
  STORAGE_DIR: Config.option(Config.String("STORAGE_DIR")),
  S3_ENDPOINT: Config.option(Config.String("S3_ENDPOINT")),
  S3_BUCKET: Config.option(Config.String("S3_BUCKET")),
  S3_REGION: text("S3_REGION", "us-east-1"),
  S3_ACCESS_KEY_ID: Config.option(Config.String("S3_ACCESS_KEY_ID")),
  S3_SECRET_ACCESS_KEY: Config.option(Config.Redacted("S3_SECRET_ACCESS_KEY"))
})

export const readStorage = Effect.gen(function* (): Effect.gen.Return<
  StorageSettings,
  check.BadSetting | Config.ConfigError
> {
  const e = yield* env
  const folder = check.given(e.STORAGE_DIR)
  const endpoint = yield* check.optionalUrl("S3_ENDPOINT", e.S3_ENDPOINT)
  const bucket = check.given(e.S3_BUCKET)
  const region = yield* check.named("S3_REGION", e.S3_REGION)
  const accessKeyId = check.given(e.S3_ACCESS_KEY_ID)
  const secretAccessKey = check.givenSecret(e.S3_SECRET_ACCESS_KEY)
  if (endpoint === null && bucket === null && accessKeyId === null && secretAccessKey === null)
    return folder === null ? { kind: "database" } : { kind: "folder", folder }
  if (folder !== null)
    return yield* new check.BadSetting({
      setting: "STORAGE_DIR",
      problem: "cannot be set together with S3_*: pictures are stored in one place"
    })
  const missing = (setting: string) =>
    new check.BadSetting({
      setting,
      problem: "must be set too: S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together"
    })
  if (bucket === null) return yield* missing("S3_BUCKET")
  if (accessKeyId === null) return yield* missing("S3_ACCESS_KEY_ID")
  if (secretAccessKey === null) return yield* missing("S3_SECRET_ACCESS_KEY")
  return { kind: "s3", endpoint, bucket, region, accessKeyId, secretAccessKey }
})
