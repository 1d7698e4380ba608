/** A command that was left before its end, by a signal or by the person. Nothing more is said of it. */
export class Left extends Error {
  readonly exit: number;

  constructor(exit: number) {
    super('the command was left before its end');
    this.name = 'Left';
    this.exit = exit;
  }
}
