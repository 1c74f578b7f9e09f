// Rounds alternate: the order in which a round goes through its contenders.

/** Reverses every second round, so that no contender always follows the same one. */
export function inTurn<One>(all: readonly One[], round: number): readonly One[] {
  return round % 2 === 0 ? all.toReversed() : all
}
