import classes from '../data-table/cells.module.css';

interface MeterProps {
  /** 0 to 100. */
  readonly value: number;
  /** Shows the bar in red: little is left. */
  readonly isLow?: boolean;
  /** In orange: soon little will be left. */
  readonly isNear?: boolean;
  /** A grey part behind it, of the same 100. */
  readonly further?: number;
  readonly label: string;
  readonly isHidden?: boolean;
}

/** A thin bar for table cells: Mantine's look without its components. */
export function Meter(props: MeterProps) {
  const { value, isLow = false, isNear = false, further = 0, label, isHidden = false } = props;
  return (
    <div
      className={classes.meter}
      data-low={isLow || undefined}
      data-near={isNear || undefined}
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
      {further > 0 && <i className={classes.further} style={{ width: `${further}%` }} />}
    </div>
  );
}
