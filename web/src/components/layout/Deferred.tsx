import type { ReactNode } from 'react';
import classes from './Deferred.module.css';

/** Shows its children only after 150 ms, so that a skeleton does not flash. */
export function Late({ children }: { readonly children: ReactNode }) {
  return <div className={classes.late}>{children}</div>;
}
