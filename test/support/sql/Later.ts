/** A value that is worked out when it is asked for, and not when nobody asks. */
export class Later {
  readonly #build: () => unknown
  #built: { readonly value: unknown } | undefined

  constructor(build: () => unknown) {
    this.#build = build
  }

  get value(): unknown {
    this.#built ??= { value: this.#build() }
    return this.#built.value
  }
}
