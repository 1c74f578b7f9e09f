// The declaration of a variable.
import type * as z from 'zod'

/** One variable; its name is the key it is declared under. */
export interface Variable<Shape extends z.ZodType = z.ZodType> {
  /** One sentence for the documentation. */
  readonly purpose: string
  /** Turns the text into a value; its description is the rule, worded to follow "must be". */
  readonly shape: Shape
  /** The value of an unset variable, as text that the shape parses. */
  readonly default?: string
  /** The documentation's text when the default depends on something else. */
  readonly defaultNote?: string
  readonly required?: true
  /** The value is never shown, and may come from the file that `<name>_FILE` names. */
  readonly secret?: true
  /** What the empty value means; without this it counts as unset. */
  readonly empty?: string
  /** Another name that is read if the variable itself is unset. */
  readonly shortName?: string
}
