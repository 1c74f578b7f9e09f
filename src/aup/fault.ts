/** What is wrong with an operator's text: its message follows the file's name ("must be UTF-8; line 12 is not"). */
export class PolicyFault extends Error {
  override readonly name = 'PolicyFault'
}
