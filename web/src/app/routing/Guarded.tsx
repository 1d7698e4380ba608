import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { NoPermission } from '../../components/layout/list-states.tsx';
import type { Access } from '../../lib/routes.ts';
import { lastLoss, useUser } from '../../lib/session.ts';
import { outcome } from './guard.ts';

interface GuardedProps {
  readonly access: Access;
  readonly children: ReactNode;
}

/** Draws a screen for those it is for. What may be done is the server's to decide, call by call. */
export function Guarded({ access, children }: GuardedProps) {
  const user = useUser();
  const { pathname, search } = useLocation();
  const result = outcome(access, user, pathname + search, lastLoss());
  if (result === 'show') return children;
  return result === 'no-permission' ? <NoPermission /> : <Navigate replace to={result.to} />;
}
