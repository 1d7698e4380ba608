export interface Credited {
  /** Units. */
  readonly quota: number;
  readonly by: 'code' | 'gift' | 'payment';
}
