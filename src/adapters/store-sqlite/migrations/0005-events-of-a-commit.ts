/**
 * From here on a row of `events` may hold all events of one commit, under the number of the last; one row each, as
 * before, reads the same. The log of a run is half as many rows and index entries: its index splits half as often.
 */
export const eventsOfACommit = '-- nothing to change: older programs must not read what newer ones write';
