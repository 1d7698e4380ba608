/** The kinds of databases that a site can be kept in. */

export type Engine = 'sqlite' | 'postgres' | 'mysql';
