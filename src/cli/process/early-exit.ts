/** Thrown when a signal or the user ends a command early. No error is printed for it. */
export class EarlyExit extends Error {
  readonly exit: number;

  constructor(exit: number) {
    super('the command was left before its end');
    this.name = 'Left';
    this.exit = exit;
  }
}
