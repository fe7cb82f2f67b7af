/** The columns of a left join: all of them, or all null. */
export type Joined<A> = A | { readonly [Column in keyof A]: null }
