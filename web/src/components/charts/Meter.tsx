import classes from '../data-table/cells.module.css';

interface MeterProps {
  /** 0 to 100. */
  readonly value: number;
  /** Shows the bar in red: little is left. */
  readonly isLow?: boolean;
  readonly label: string;
  readonly isHidden?: boolean;
}

/** A thin bar for table cells: Mantine's look without its components. */
export function Meter({ value, isLow = false, label, isHidden = false }: MeterProps) {
  return (
    <div
      className={classes.meter}
      data-low={isLow || undefined}
      aria-hidden={isHidden || undefined}
    >
      <span
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={value}
        aria-valuetext={`${value}%`}
        style={{ width: `${value}%` }}
      />
    </div>
  );
}
