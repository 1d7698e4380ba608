import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { NoPermission } from '../../components/layout/list-states.tsx';
import type { Access } from '../../lib/routes.ts';
import { lastLoss, useUser } from '../../lib/session/session.ts';
import { outcome } from './guard.ts';

interface GuardedProps {
  readonly access: Access;
  readonly children: ReactNode;
}

/** Renders a screen only for roles with access. The server authorizes every call itself. */
export function Guarded({ access, children }: GuardedProps) {
  const user = useUser();
  const { pathname, search } = useLocation();
  const result = outcome(access, user, pathname + search, lastLoss());
  if (result === 'show') return children;
  return result === 'no-permission' ? <NoPermission /> : <Navigate replace to={result.to} />;
}
