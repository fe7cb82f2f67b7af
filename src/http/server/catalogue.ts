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

/** Defines an error, once per code. Use saying() for specific messages where it is thrown. */
export const defineError = (
  status: number,
  code: string,
  message: string,
  fix: string,
  { retryable = PASSING.has(status) }: { readonly retryable?: boolean } = {}
): ApiError => {
  entries.push({ status, code, message, fix, retryable })
  return new ApiError({ status, code, message, fix })
}

/** The same in the plain-string form. */
export const definePlainError = (status: number, message: string): ApiError => {
  entries.push({ status, code: null, message, fix: "", retryable: PASSING.has(status) })
  return new ApiError({ status, code: null, message, fix: "" })
}
