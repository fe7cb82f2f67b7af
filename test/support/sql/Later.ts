/** A value that is computed only when it is needed. */
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
