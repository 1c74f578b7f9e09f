/** A character of a token (RFC 9110, section 5.6.2), for a class in a regular expression. */
export const TOKEN_CHARACTERS = "!#$%&'*+.^_`|~0-9A-Za-z-"
