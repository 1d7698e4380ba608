import classes from './RowSwitch.module.css';

interface RowSwitchProps {
  readonly isOn: boolean;
  readonly label: string;
  readonly onSwitch: (isOn: boolean) => void;
}

/** A small switch for a row: Mantine's look in one element. Its clicks do not reach the row. */
export function RowSwitch({ isOn, label, onSwitch }: RowSwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      className={classes.switch}
      aria-checked={isOn}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation();
        onSwitch(!isOn);
      }}
    />
  );
}
