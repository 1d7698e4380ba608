import type { ReactNode } from 'react';
import classes from './Deferred.module.css';

/** Shows its children only after 150 ms: a skeleton that flashes by is worse than none. */
export function Late({ children }: { readonly children: ReactNode }) {
  return <div className={classes.late}>{children}</div>;
}
