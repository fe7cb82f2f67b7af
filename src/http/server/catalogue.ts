import { ApiError } from "./ApiError.ts"

export interface CatalogueEntry {
  readonly status: number
  /** Null: the plain-string form. */
  readonly code: string | null
  readonly message: string
  readonly fix: string
  /** Whether the same request may do better later (contract 7.3). */
  readonly retryable: boolean
}

/** Whether it is passing, by its status; what is not says so. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503])

const entries: Array<CatalogueEntry> = []
/**
 * Every error that there is: what the OpenAPI document, the docs and llms.txt say of errors is made of it. An error is
 * added when its file is loaded, so read this only once the routes are.
 */
export const catalogue: ReadonlyArray<CatalogueEntry> = entries

/** Defines an error, once for each code: what is particular about it is said with saying() where it is thrown. */
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
