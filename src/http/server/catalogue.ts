import { ApiError } from "./ApiError.ts"

export interface CatalogueEntry {
  readonly status: number
  /** Null: the plain-string form. */
  readonly code: string | null
  readonly message: string
  readonly fix: string
  /** Whether the same request may succeed later (contract 7.3). */
  readonly retryable: boolean
}

/** Whether an error is retryable, by status. Exceptions declare it. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503])

const entries: Array<CatalogueEntry> = []
/**
 * All errors. The OpenAPI document, the docs and llms.txt are generated from it. Errors are registered when their file
 * is loaded, so read this only after loading the routes.
 */
export const catalogue: ReadonlyArray<CatalogueEntry> = entries

let isComplete = false
/** Called when all routes are loaded. An error that is defined later would be missing in the documents. */
export const completeCatalogue = (): void => {
  isComplete = true
}

const register = (entry: CatalogueEntry): ApiError => {
  if (isComplete) throw new Error(`the routes are already loaded: define the error "${entry.message}" with its domain`)
  entries.push(entry)
  const { status, code, message, fix } = entry
  return new ApiError({ status, code, message, fix })
}

/** Defines an error, once per code. Use saying() for specific messages where it is thrown. */
export const defineError = (
  status: number,
  code: string,
  message: string,
  fix: string,
  { retryable = PASSING.has(status) }: { readonly retryable?: boolean } = {}
): ApiError => register({ status, code, message, fix, retryable })

/** The same in the plain-string form. */
export const definePlainError = (status: number, message: string): ApiError =>
  register({ status, code: null, message, fix: "", retryable: PASSING.has(status) })
