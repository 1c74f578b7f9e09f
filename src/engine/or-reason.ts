/** A result, or why there is none: `reason` is undefined for a result. */
export type OrReason<Result extends object, Failure extends { readonly reason: string } = { readonly reason: string }> =
  | (Result & { readonly reason?: undefined })
  | Failure
