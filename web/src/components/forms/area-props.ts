export interface AreaProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly rows: number;
  readonly isReadOnly: boolean;
  readonly isInvalid: boolean;
}
