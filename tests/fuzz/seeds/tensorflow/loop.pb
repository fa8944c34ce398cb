
.
xPlaceholder*
dtype0*
shape:
1
enterEnterx*
T0*

frame_namewhile
-
mergeMergeenternext*
T0*
N
#
lessLessmergemerge*
T0

condLoopCondless
&
switchSwitchmergecond*
T0

bodyNegswitch:1*
T0
$
nextNextIterationbody*
T0

exitExitswitch*
T0